# Toolchain file: another processor's compiler (Debian's gcc-<triplet>), and
# qemu-user to run what it builds.
#   SKED_CROSS=aarch64-linux-gnu cmake --preset cross
if(NOT SKED_CROSS)
  set(SKED_CROSS s390x-linux-gnu) # big endian
endif()
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SKED_CROSS)

string(REGEX REPLACE "-.*" "" processor ${SKED_CROSS})
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${processor})
set(CMAKE_C_COMPILER ${SKED_CROSS}-gcc)
set(CMAKE_CXX_COMPILER ${SKED_CROSS}-g++)

set(emulator_i686 i386)
set(emulator_powerpc64 ppc64)
set(emulator ${processor})
if(DEFINED emulator_${processor})
  set(emulator ${emulator_${processor}})
endif()
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${emulator};-L;/usr/${SKED_CROSS})

# Programs of this machine, headers and libraries of the other one.
set(CMAKE_FIND_ROOT_PATH /usr/${SKED_CROSS})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

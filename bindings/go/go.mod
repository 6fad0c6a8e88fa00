module example.org/sked/bindings/go

go 1.19

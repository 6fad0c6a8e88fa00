#!/bin/sh
flux account add-bank root 1
flux account add-bank --parent-bank=root lab 3
flux account add-bank guests 1 --parent-bank=root
flux account add-user --username=ann --bank=lab --shares 4 \
    --max-running-jobs=3 -c 16 --max-nodes=2
flux account add-user --username=bob --bank=lab
flux account edit-user bob --bank=lab --shares=2

#!/bin/sh
# A script that calls programs. `lookback record -- sh backup.sh` shows which, what they have opened, and how
# they ended.
set -e
echo "remember the milk" > notes.txt
mkdir -p saved
cp notes.txt saved/
(cd saved && gzip -f notes.txt)
echo "$(ls saved | wc -l) file saved"

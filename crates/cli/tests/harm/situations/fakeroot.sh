# Another object that is preloaded, and takes the same calls.
fakeroot sh -c '
touch file
chown 7:8 file
mknod node c 1 3
stat -c "%n %u %g %F" file node
id -u
tar cf all.tar file node'
tar tvf all.tar | sed 's/ [0-9][0-9-]* [0-9][0-9]:[0-9][0-9] / /'
fakeroot stat -c '%u' . ; fakeroot sh -c 'exit 5'
echo "status $?"
echo ok

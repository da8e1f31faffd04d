# A root, namespaces and /proc of its own.
bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-pid \
    sh -c 'echo "as $$"; ls /tmp; ls / >/dev/null; exit 3'
echo "status $?"
mkdir root && for name in usr lib lib64 bin; do
    [ ! -e "/$name" ] || bwrap_binds="$bwrap_binds --ro-bind /$name /$name"
done
bwrap $bwrap_binds --unshare-all sh -c 'echo "an empty root: $(ls / | tr "\n" " ")"; (exit 4)'
echo "status $?"
echo ok

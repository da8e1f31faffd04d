# Pipes between programs with many threads.
seq 1 200000 > numbers
tar cf - numbers | xz -T2 -c > numbers.tar.xz
tar xJOf numbers.tar.xz | cmp - numbers && echo "xz: same"
gzip -k numbers && gzip -dc numbers.gz | cmp - numbers && echo "gzip: same"
sort -R numbers | sort -n --parallel=2 | cmp - numbers && echo "sort: same"
yes | head -n 3; echo "a broken pipe is quiet"
echo ok

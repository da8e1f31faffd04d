# A browser: many processes, a sandbox of its own, its own memory allocator.
echo '<title>before</title><script>document.title = [1, 2, 3].map(x => x * x).join()</script>' > page.html
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
    --disable-component-update --disable-sync --disable-dev-shm-usage --user-data-dir="$PWD/data" \
    --dump-dom "file://$PWD/page.html" 2>/dev/null
echo "status $?"
echo ok

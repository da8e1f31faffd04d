# A browser: many processes with filters of system calls, its own memory allocator, crash handlers.
echo '<title>page</title><body style="background: green">' > page.html
firefox-esr --headless --no-remote --profile "$PWD" --screenshot "$PWD/page.png" "file://$PWD/page.html" \
    >/dev/null 2>&1
echo "status $?"
head -c 8 page.png | od -An -tx1
echo ok

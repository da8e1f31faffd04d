# A server under load: files, ranges, compression, errors, TLS, a proxy with a cache, while it reloads and is
# replaced.
PATH=$PATH:/usr/sbin
mkdir -p logs html/locked && seq 1 30000 > html/big.txt && echo hello > html/index.html && : > html/empty
echo x > html/locked/x; touch -d @1000000000 html/big.txt html/index.html html/empty
chmod -R a+rwX .; chmod 000 html/locked/x
untraced() { env -u LD_PRELOAD "$@"; }
untraced openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
    2>/dev/null
printf 'me:%s\n' "$(untraced openssl passwd -apr1 -salt abcdefgh secret)" > users
cat > nginx.conf <<CONF
worker_processes 2;
pid $PWD/nginx.pid;
error_log $PWD/logs/error.log notice;
events { worker_connections 256; }
http {
  access_log $PWD/logs/access.log; default_type text/plain; gzip on; gzip_types text/plain; sendfile on;
  client_body_temp_path $PWD/b; proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/f; uwsgi_temp_path $PWD/u;
  scgi_temp_path $PWD/s; proxy_cache_path $PWD/cache keys_zone=c:1m;
  keepalive_timeout 600; keepalive_requests 100000;
  server {
    listen unix:$PWD/socket; root $PWD/html;
    location ~ ^/re/(\d+)-([a-z]+)\$ { return 200 "\$1 \$2 \$request_method\n"; }
    location /rw { rewrite ^/rw/(.*)\$ /\$1 last; }
    location /auth { auth_basic x; auth_basic_user_file $PWD/users; }
    location /list { alias $PWD/html/; autoindex on; }
    location /proxy/ { proxy_pass http://unix:$PWD/socket:/; proxy_cache c; proxy_cache_valid 200 1h; }
    location /tls/ { proxy_pass https://unix:$PWD/tls:/; }
  }
  server {
    listen unix:$PWD/tls ssl; root $PWD/html; ssl_certificate $PWD/cert.pem; ssl_certificate_key $PWD/key.pem;
  }
}
CONF
load() { untraced python3 "$PROGRAMS/nginx_load.py" 120; }
await() { tries=0; until "$@" || [ $tries = 6000 ]; do sleep 0.02; tries=$((tries + 1)); done; }
"$(command -v nginx)" -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/logs/error.log"; echo "start $?"
await test -s nginx.pid
load | sed 's/\(.*\/list.*\), [0-9]*, [^,]*)/\1)/'
first=$(cat nginx.pid)
load > while_reloading & loading=$!
for i in 1 2 3 4 5; do kill -HUP "$first"; sleep 0.3; done
wait $loading; echo "reloading $?, $(wc -l < while_reloading) answers"
kill -USR1 "$first"
kill -USR2 "$first"; await test -s nginx.pid.oldbin; await test -s nginx.pid
load | grep -v /list | cksum
kill -WINCH "$first"; kill -QUIT "$first"; await test ! -e nginx.pid.oldbin
load | grep -v /list | cksum
second=$(cat nginx.pid); [ "$first" != "$second" ] && echo upgraded
kill -QUIT "$second"; await test ! -e nginx.pid
grep -aE 'alert|emerg|crit' logs/error.log | grep -v 'Permission denied' | sed 's/^.*#//'
grep -a ' exited ' logs/error.log | grep -avc 'exited with code 0'
nginx -t -p "$PWD" -c "$PWD/nginx.conf" -e "$PWD/logs/error.log" 2>&1 | sed "s#$PWD##g"
nginx -p "$PWD" -c /nonexistent -e "$PWD/logs/error.log" 2>&1 | sed 's/^.*emerg/emerg/'
echo ok

# nginx in the directory where it is run.
PATH=$PATH:/usr/sbin
# With so many workers.
configure() {
    mkdir -p logs html && echo hello > html/index.html && chmod -R a+rwX .
    cat > nginx.conf <<CONF
worker_processes $1;
pid $PWD/nginx.pid;
error_log $PWD/logs/error.log;
events { worker_connections 64; }
http { access_log off; server { listen unix:$PWD/socket; root $PWD/html; } client_body_temp_path $PWD/b;
  proxy_temp_path $PWD/p; fastcgi_temp_path $PWD/f; uwsgi_temp_path $PWD/u; scgi_temp_path $PWD/s; }
CONF
}
get() { curl -s --unix-socket socket http://localhost/; }

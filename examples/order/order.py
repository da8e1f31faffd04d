"""A program that fails and doesn't say why: record it by `lookback record -- python3 order.py`."""
import json
import socket
import subprocess

shop = json.load(open("shop.json"))
try:
    socket.create_connection((shop["host"], shop["port"]))
except OSError:
    print("order failed")
subprocess.run(["gzip", "--keep", "--force", "shop.json"])

-- How many bytes were read and written, by file or peer
SELECT path, sum(CASE WHEN is_read THEN ret ELSE 0 END) AS bytes_read,
       sum(CASE WHEN is_read THEN 0 ELSE ret END) AS bytes_written, count(*) AS calls
FROM (SELECT path, ret, name IN ('read', 'pread', 'pread64', 'readv', 'recv', 'recvfrom', 'recvmsg',
                                 'sys_read', 'sys_pread64', 'sys_readv', 'sys_recvfrom', 'sys_recvmsg') AS is_read
      FROM slices
      WHERE ret > 0 AND path IS NOT NULL
        AND name IN ('read', 'pread', 'pread64', 'readv', 'recv', 'recvfrom', 'recvmsg',
                     'sys_read', 'sys_pread64', 'sys_readv', 'sys_recvfrom', 'sys_recvmsg',
                     'write', 'pwrite', 'pwrite64', 'writev', 'send', 'sendto', 'sendmsg',
                     'sys_write', 'sys_pwrite64', 'sys_writev', 'sys_sendto', 'sys_sendmsg'))
GROUP BY path
ORDER BY bytes_read + bytes_written DESC, path
LIMIT 40

/*
 * Controls sessions of lookback: which events are recorded, snapshots, markers, and every file of the control
 * tree.
 *
 *     struct lookback_session *session = lookback_session_open(NULL, NULL);
 *
 *     if (!session || lookback_session_enable(session, "libc:open* if ret < 0") < 0)
 *         fprintf(stderr, "%s\n", lookback_error());
 *
 * Errors: what returns a number returns a negative one, -errno; what returns a pointer returns NULL. Both set
 * errno, and lookback_error has a message.
 *
 * Ownership: what an open function returns is the caller's until it is closed. Texts and arrays that other
 * functions return are the library's; each function says how long they stay.
 *
 * Threads: each session, reader and consumer is used by one thread at a time; different ones by different
 * threads at once. None of the functions is async-signal-safe: they allocate memory and take locks. (What
 * programs record by, in lookback.h, is.)
 *
 * Structures that the library fills in are given with their size. Later versions may add to their ends: a
 * program that was compiled before gets what it knows.
 */
#ifndef LOOKBACK_SESSION_H
#define LOOKBACK_SESSION_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A session, opened: its default instance, or another one. */
struct lookback_session;

/* What went wrong last in the calling thread, and what to do; "" if nothing has. It stays until
 * something else goes wrong in this thread. */
const char *lookback_error(void);

/* The version of the library: "0.1.0". */
const char *lookback_version(void);

/* Opens a session: of this name, of this path if it has a '/', or for NULL the one that
 * $LOOKBACK_SESSION names, or the default one; and of it the instance of this name, or for NULL the
 * default one. NULL with errno: ENOENT where there is no such session or instance, EACCES where it is
 * somebody else's, EPROTO where it is of another version. */
struct lookback_session *lookback_session_open(const char *session, const char *instance);

/* Closes it. Recording goes on. Readers of it stay open. NULL is allowed. */
void lookback_session_close(struct lookback_session *session);

/* Enables events, as `lookback set EVENT on` does: "libc:open*", "@net", or "read_exit if ret < 0".
 * Those of programs that come later follow. How many there are now; -EINVAL where no event is called so,
 * or none can have the filter: nothing has changed then. */
int lookback_session_enable(struct lookback_session *session, const char *events);

/* Disables events, as `lookback set EVENT off` does. How many there are now; -EINVAL where no event is
 * called so. */
int lookback_session_disable(struct lookback_session *session, const char *events);

/* Keeps what was recorded up to here, and goes on recording. What the snapshot is called, as `lookback
 * snapshots` lists it: "3", until the next call. NULL with errno: ENOMEM where the session was made
 * without space for snapshots, EBUSY while readers hold all. */
const char *lookback_session_snapshot(struct lookback_session *session);

/* What the snapshots are called that are kept, the oldest first, a line each; until the next call. */
const char *lookback_session_snapshots(struct lookback_session *session);

/* Writes a text into the buffer, as the kernel's trace_marker does: an event ftrace:print of the calling
 * thread. How many bytes of it fit, 4054 at most; -EBADF while recording is stopped. */
ssize_t lookback_session_mark(struct lookback_session *session, const char *text, size_t size);

/* What a file of the control tree has, of the instance that was opened ("tracing_on",
 * "events/libc/read/format"), or of the session where the instance has no such file ("ktrace/info"); of
 * a pipe, what it has now. Its bytes, with a zero byte after them, until the next call; *size, unless
 * size is NULL, is how many there are. NULL with errno, as reading the file in a mount has it. */
const char *lookback_session_read(struct lookback_session *session, const char *file, size_t *size);

/* Writes to a file of the control tree, as `lookback set FILE VALUE` does. 0; or -errno, as writing to
 * the file in a mount has it. */
int lookback_session_write(struct lookback_session *session, const char *file,
	const char *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif

//! `lookback probe`.

use super::SessionArguments;
use clap::Args;
use session::Selection;

/// Define events at instructions and functions of programs.
///
/// A probe is an event that is recorded where a program comes to a function, or to one of its instructions,
/// with what is then in registers and memory. The program need not be rebuilt. What is defined is disabled
/// until `lookback set GROUP:EVENT on`; `lookback record --probe` defines and enables it for a recording.
///
/// DEFINITION is 'FILE:PLACE [ARG]...', in quotes. FILE is a path, a program in $PATH, or a library such as
/// libc.so.6. PLACE is a function, FUNC+OFFSET, or an offset in the file; FUNC%return is where it returns;
/// with debug information also SOURCE:LINE, or FUNC:LINE, counted from where the function is declared.
/// The event is probe_FILE:FUNC, FUNC__return, or FUNC_LLINE. In place of that, DEFINITION may be a line of
/// the kernel's uprobe_events: 'p[:[GROUP/]EVENT] FILE:PLACE [ARG]...', or 'r...' for returns.
///
/// FILE:sdt_PROVIDER:NAME means all places of USDT of that name, with their arguments; `lookback list --usdt`
/// lists them.
///
/// ARG is [NAME=]VALUE[:TYPE]. With debug information a value can be a variable of the program by its name.
/// It is found when the probe is defined, and becomes one of the other values.
#[derive(Debug, Args)]
#[command(override_usage = "lookback probe [OPTIONS] DEFINITION...\n       lookback probe --list\n       \
    lookback probe --del EVENT\n       lookback probe --vars PLACE\n       lookback probe --line PLACE")]
#[command(after_long_help = "\
Values:
  $arg1 $arg2 ...       what a function is called with, where it begins
  $retval               what it returns, with %return
  %di %ax ...           a register, by the kernel's names
  $stack $stack0 ...    the stack pointer; words of the stack
  +8($arg1) -4(%bp)     memory at a distance from a value; can be nested
  @0x4020 @+0x2010      memory at an address; where an offset of FILE is mapped
  \\5 \\\"text\\\" $comm     a number; a text; the thread's name
  count item->price.net a variable, or a part of it, by its name; *next, list[3]
  $params $vars         what the function is called with; all its variables

Types:
  u8 to u64, s8 to s64, x8 to x64, char, string (of memory), bWIDTH@OFFSET/SIZE,
  and [N] after one for an array of memory [default: x64]

Examples:
  lookback probe 'nginx:ngx_http_process_request request=$arg1'
  lookback probe 'libc.so.6:malloc size=$arg1:u64' \\
                 'libc.so.6:malloc%return $retval'
  lookback probe './shop:pay id=+0($arg1):s32 name=+0(+8($arg1)):string'
  lookback probe './shop:pay count item->name:string' './shop:shop.c:24 sum i'
  lookback probe --vars ./shop:pay
  lookback probe 'p:shop/paid /opt/shop/bin/shop:0x113e n=%di:s32'
  lookback probe 'libc.so.6:sdt_libc:memory_arena_new'
  lookback set probe_nginx:ngx_http_process_request on
  lookback record --probe './shop:pay n=$arg2:s32' -- ./shop
  lookback probe --del 'probe_nginx:*'")]
pub(crate) struct ProbeArguments {
    /// The probes, each in quotes
    #[arg(value_name = "DEFINITION", required_unless_present_any = ["list", "del", "vars", "line"])]
    pub(crate) definitions: Vec<String>,

    /// List the probes: their events, whether these are enabled, how often each was hit, and where it is
    #[arg(short, long, conflicts_with_all = ["definitions", "del"])]
    pub(crate) list: bool,

    /// With --list: print JSON
    #[arg(long, requires = "list")]
    pub(crate) json: bool,

    /// Remove the probes of these events, given as for record; can be given several times
    #[arg(short, long, value_name = "EVENT", conflicts_with = "definitions")]
    pub(crate) del: Vec<Selection>,

    /// List the variables that a place has: FILE:FUNC, FUNC+OFFSET, an offset or a line
    #[arg(short = 'V', long, value_name = "PLACE", conflicts_with_all = ["definitions", "list", "del"])]
    pub(crate) vars: Option<String>,

    /// List the lines of a function, FILE:FUNC, with numbers before those that can be probed
    #[arg(short = 'L', long, value_name = "PLACE",
        conflicts_with_all = ["definitions", "list", "del", "vars"])]
    pub(crate) line: Option<String>,

    #[command(flatten)]
    pub(crate) which: SessionArguments,
}

"""Work on what strangers wrote, done apart: in a child process with limits of time and memory, which is killed.

What is asked for in a spec may take minutes of Python, and what Python does cannot be stopped from within for sure.
So each verb does its work in a child, and the process that was started only waits, with a clock.

- `notes`: what the child tells, and its own limits;
- `watched`: what is known of a child, and why it was ended;
- `forked`: children of the command line, which has one thread;
- `workers` and `serving`: children of servers, which have many threads;
- `signals`: requests to end, taken as Ctrl-C is.
"""

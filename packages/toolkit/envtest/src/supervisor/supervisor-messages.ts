/** A message from a test process to its supervisor. */
export type SupervisorCommand =
  | { readonly type: 'adopt'; readonly folder: string; readonly stopTimeout: number }
  | {
      readonly type: 'start';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
    }
  | { readonly type: 'signal'; readonly name: string; readonly signal: SupervisedSignal };

/** `SIGKILL` ends a process, `SIGSTOP` pauses it, `SIGCONT` resumes it. */
export type SupervisedSignal = 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** A message from the supervisor to the test process. */
export type SupervisorReport =
  | { readonly type: 'ready' }
  | { readonly type: 'output'; readonly name: string; readonly text: string }
  | { readonly type: 'signalled'; readonly name: string; readonly signal: SupervisedSignal }
  | { readonly type: 'exit'; readonly name: string; readonly reason: string };

/** What a test process tells its supervisor. */
export type SupervisorCommand =
  | { readonly type: 'adopt'; readonly folder: string; readonly stopTimeout: number }
  | {
      readonly type: 'start';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
    }
  | { readonly type: 'signal'; readonly name: string; readonly signal: SupervisedSignal };

/** `SIGKILL` ends a process, the others freeze it and let it go on. */
export type SupervisedSignal = 'SIGKILL' | 'SIGSTOP' | 'SIGCONT';

/** What the supervisor tells back. */
export type SupervisorReport =
  | { readonly type: 'ready' }
  | { readonly type: 'output'; readonly name: string; readonly text: string }
  | { readonly type: 'signalled'; readonly name: string }
  | { readonly type: 'exit'; readonly name: string; readonly reason: string };

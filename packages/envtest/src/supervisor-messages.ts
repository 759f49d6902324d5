/** What a test process tells its supervisor. */
export type SupervisorCommand =
  | { readonly type: 'adopt'; readonly folder: string; readonly stopTimeout: number }
  | {
      readonly type: 'start';
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
    };

/** What the supervisor tells back. */
export type SupervisorReport =
  | { readonly type: 'ready' }
  | { readonly type: 'output'; readonly name: string; readonly text: string }
  | { readonly type: 'exit'; readonly name: string; readonly reason: string };

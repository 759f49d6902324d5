/** The end of a program: an exit code, the name of a signal, or the reason why no process was started. */
export type ProgramEnd =
  | { readonly code: number }
  | { readonly signal: NodeJS.Signals }
  | { readonly reason: string };

/** A program that was started. */
export interface RunningProgram {
  /** Resolves when the program has ended. Never rejects. */
  readonly ended: Promise<ProgramEnd>;
  /** Sends SIGTERM; a second call has no effect. */
  terminate(): void;
  /** Ends the program at once, together with the processes that it started. */
  kill(): void;
}

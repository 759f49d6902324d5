/** The bytes of one response that a server in this process sends and a client in this process reads. */
export interface StreamActivity {
  /** The server wrote bytes of the body. */
  sent(bytes: number): void;
  /** The server has ended the body, or the connection is lost. */
  closed(): void;
  /** The client has processed bytes of the body, and waits for the next ones. */
  received(bytes: number): void;
  /** The client does not wait for bytes until the next `received`. */
  paused(): void;
  /** The client reads no more of the body. */
  ended(): void;
}

/**
 * Counts the work that follows from a timer, so that a clock of a test knows when nothing is left to do at the present
 * time. Work has a name, which an error shows if the work does not end.
 */
export interface ClockActivity {
  /**
   * Counts `work` until its promise settles. Its `id` connects it with work that is done elsewhere for it: a server
   * passes the id that came with a request as `parent`.
   */
  run<Result>(
    name: string,
    work: (id: string) => Promise<Result>,
    parent?: string,
  ): Promise<Result>;
  /** Counts work until the returned function is called. */
  begin(name: string): () => void;
  /**
   * Waits for a timer or for an event. The work that calls it, and the work for which that is done, do not count until
   * the promise settles.
   */
  wait<Result>(waiting: Promise<Result>): Promise<Result>;
  /** The body of the response to the request with this id. Unread bytes count while the client reads the body. */
  stream(id: string): StreamActivity;
}

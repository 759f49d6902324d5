/** Where the command prints. */
export interface Terminal {
  /** Prints a result and the end of its line. */
  print(text: string): void;
  /** Prints an error and the end of its line. */
  complain(text: string): void;
}

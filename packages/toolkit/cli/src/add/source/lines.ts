/** The lines of a text; the end of the last one begins a further, empty line. */
export function lines(text: string): readonly string[] {
  return text.split('\n');
}

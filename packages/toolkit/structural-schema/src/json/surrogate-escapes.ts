/** Matches an escape of a half of a surrogate pair. Few texts have one. */
const anyHalf = /\\u[dD][89a-fA-F]/;

/** Matches a pair of escapes, the escape of a half, and every other escape, so that `\\ud800` is not one. */
const escapes =
  /\\(?:(?<pair>u[dD][89aAbB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2})|(?<half>u[dD][89a-fA-F][\dA-Fa-f]{2})|[^])/g;

/** Replaces each escape of a lone half of a surrogate pair in a JSON text by that of U+FFFD, as Go's decoder does. */
export function withoutLoneSurrogates(json: string): string {
  if (!anyHalf.test(json)) return json;
  return json.replaceAll(escapes, (escape, _pair: unknown, half: unknown) =>
    half === undefined ? escape : String.raw`\ufffd`,
  );
}

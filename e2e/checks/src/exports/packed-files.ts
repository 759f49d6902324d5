const required: readonly string[] = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'package.json',
  'dist/index.js',
  'dist/index.d.ts',
];
const unwanted = /\.test[.-]|(?:^|\/)(?:bench|testdata|fixtures)\/|tsbuildinfo$|tsconfig\.json$/;

/**
 * Returns the problems of a packed package: a missing file, a file that only this repository needs, or a source map
 * with a source that is not packed. `sourcesOf` returns the sources of a map by their paths in the package.
 */
export function complaintsAbout(
  files: readonly string[],
  sourcesOf: (map: string) => readonly string[],
): string[] {
  const packed = new Set(files);
  const missing = required.filter((file) => !packed.has(file));
  const sourceless = files
    .filter((file) => file.endsWith('.map'))
    .filter((map) => sourcesOf(map).some((source) => !packed.has(source)));
  return [
    ...missing.map((file) => `${file} is missing`),
    ...files.filter(isUnwanted).map((file) => `${file} is not needed by users`),
    ...sourceless.map((file) => `${file} maps to a source that is not packed`),
  ];
}

/** Templates of projects have tests and settings of their own. */
function isUnwanted(file: string): boolean {
  return unwanted.test(file) && !file.startsWith('templates/');
}

const required: readonly string[] = [
  'LICENSE',
  'README.md',
  'package.json',
  'dist/index.js',
  'dist/index.d.ts',
];
const unwanted = /\.test[.-]|(?:^|\/)(?:bench|testdata|fixtures)\/|tsbuildinfo$|tsconfig\.json$/;

/**
 * What is wrong with the files of a packed package: one that users need is missing, one that only we need is
 * there, or a source map leads to a source that is not.
 */
export function complaintsAbout(files: readonly string[]): string[] {
  const packed = new Set(files);
  const missing = required.filter((file) => !packed.has(file));
  const sourceless = files.filter((file) => {
    const source = sourceOf(file);
    return source !== undefined && !packed.has(source);
  });
  return [
    ...missing.map((file) => `${file} is missing`),
    ...files.filter((file) => unwanted.test(file)).map((file) => `${file} is of no use to users`),
    ...sourceless.map((file) => `${file} maps to a source that is not packed`),
  ];
}

function sourceOf(file: string): string | undefined {
  const [, path] = /^dist\/(.+?)(?:\.d\.ts|\.js)\.map$/.exec(file) ?? [];
  return path === undefined ? undefined : `src/${path}.ts`;
}

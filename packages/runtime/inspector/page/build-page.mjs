// Makes the page: one HTML document with its script and style, and the policy that permits exactly these two.
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Returns the zipped page and its Content-Security-Policy. */
export async function buildPage() {
  const { outputFiles } = await build({
    entryPoints: ['main.tsx', 'style.css'].map((file) =>
      fileURLToPath(new URL(file, import.meta.url)),
    ),
    outdir: 'unused',
    write: false,
    bundle: true,
    minify: true,
    format: 'iife',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    charset: 'utf8',
    // No comment of a license may end the element.
    legalComments: 'none',
    logLevel: 'warning',
  });
  const text = (ending) => outputFiles.find(({ path }) => path.endsWith(ending)).text.trim();
  const script = text('.js').replaceAll('</script', '<\\/script');
  const style = text('.css');
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Keelson inspector</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body><div id="page"></div><noscript>The page needs JavaScript; /debug/explain?format=text does not.</noscript>
<script>${script}</script></body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');
  return { zipped: gzipSync(html, { level: 9 }), policy };
}

const hashOf = (text) => `sha256-${createHash('sha256').update(text).digest('base64')}`;

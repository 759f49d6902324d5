import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Invariant } from '../invariants/invariant.ts';

/** A change of the code under test that breaks one behaviour. */
export interface Variant {
  readonly name: string;
  /** The text to replace, in exactly one source of the package. Spaces and line ends do not matter. */
  readonly find: string;
  readonly replace: string;
  readonly package: 'informer' | 'manager' | 'workqueue';
  /** The invariants of which the simulation must find one broken. */
  readonly breaks: readonly Invariant[];
}

/** The one file that a variant changes, and its text after the change. */
export interface ChangedSource {
  readonly url: string;
  readonly text: string;
}

/** Finds the source that a variant changes. Throws if the text is missing, or is there more than once. */
export function changedSource(variant: Variant): ChangedSource {
  const root = new URL(`../../../../packages/runtime/${variant.package}/src/`, import.meta.url);
  const pattern = patternOf(variant.find);
  const found = globSync('**/*.ts', { cwd: fileURLToPath(root) })
    .filter((path) => !/\.(?:test|test-support|types)\./.test(path))
    .flatMap((path) => {
      const url = new URL(path, root);
      const text = readFileSync(url, 'utf8');
      return Array.from(text.matchAll(pattern), () => ({ url: url.href, text }));
    });
  const [only] = found;
  if (only === undefined || found.length > 1) {
    const count = `it is in ${found.length} places of ${variant.package}`;
    throw new Error(`the text of the variant "${variant.name}" must be in one place: ${count}`);
  }
  return { url: only.url, text: only.text.replace(pattern, () => variant.replace) };
}

function patternOf(text: string): RegExp {
  const words = text.trim().split(/\s+/);
  return new RegExp(
    words
      .map((word) => word.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
      .join(String.raw`\s+`),
    'g',
  );
}

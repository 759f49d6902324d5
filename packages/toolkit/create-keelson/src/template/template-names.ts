import { basename } from 'node:path';
import { readTemplate } from './template.ts';
import { variants, type Variant } from './variant.ts';

/** The names that the code of the templates uses, and that a project must not choose. */
export interface TemplateNames {
  /** Words that begin with a capital letter, such as imported types. */
  readonly identifiers: ReadonlySet<string>;
  /** The names of the modules in `src`. */
  readonly modules: ReadonlySet<string>;
  /** The packages without scope. */
  readonly packages: ReadonlySet<string>;
}

/** Collects the names of all variants. */
export function templateNames(): TemplateNames {
  const files = (Object.keys(variants) as Variant[]).flatMap((variant) => [
    ...readTemplate(variant),
  ]);
  const sources = files.filter(([path]) => path.endsWith('.ts'));
  const manifest = JSON.parse(readTemplate('plain').get('package.json') ?? '{}') as Record<
    'dependencies' | 'devDependencies',
    Record<string, string>
  >;
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  return {
    identifiers: new Set(sources.flatMap(([, text]) => capitalized(text))),
    modules: new Set(
      sources.map(([path]) => basename(path, '.ts')).filter((name) => name !== 'website'),
    ),
    packages: new Set(packages.filter((name) => !name.startsWith('@'))),
  };
}

function capitalized(text: string): string[] {
  return (text.match(/\b[A-Z]\w*/g) ?? []).filter((word) => word !== 'Website');
}

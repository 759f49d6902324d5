import type { CustomSchema, OpenApiVersion } from './custom-schema.ts';
import { type Template, templateText } from './openapi-data.ts';

/** Builds the paths and operations of a custom resource for an OpenAPI document. */
export function customTemplate(custom: CustomSchema, version: OpenApiVersion): Template {
  const words = wordsOf(custom);
  const text = templateText(version, custom.namespaced ? 'Namespaced' : 'Cluster');
  const filled = text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => words[name] ?? whole);
  const { paths, schemas } = JSON.parse(filled) as Template;
  const served = Object.entries(paths).filter(([path]) => isServed(custom, path));
  return { paths: Object.fromEntries(served), ...(schemas && { schemas }) };
}

function isServed({ subresources }: CustomSchema, path: string): boolean {
  const subresource = /\{name\}\/(\w+)$/.exec(path)?.[1];
  return subresource === undefined || subresources.includes(subresource);
}

/** Returns the prefix of schema names: the reversed group and the version, `com.example.v1`. */
export function schemaPrefix({ group, version }: CustomSchema): string {
  return [...group.split('.').toReversed(), version].join('.');
}

function wordsOf(custom: CustomSchema): Readonly<Record<string, string>> {
  const { group, version, kind, listKind, plural } = custom;
  const short = group.replace(/\.k8s\.io$/, '');
  return {
    group,
    version,
    kind,
    listKind,
    plural,
    prefix: schemaPrefix(custom),
    article: /^[aeiou]/i.test(kind) ? 'an' : 'a',
    tag: `${operationWord(short, false)}_${operationWord(version, false)}`,
    operationGroup: operationWord(short, true) + operationWord(version, true),
    operationKind: operationWord(kind, true),
  };
}

/** Converts a group to the form of operation ids: `as.example.com` → `asExampleCom`. */
function operationWord(name: string, capital: boolean): string {
  const word = name.replaceAll(/[^\p{L}\d_]+(\p{L}?)/gu, (_, next: string) => next.toUpperCase());
  return capital ? word.slice(0, 1).toUpperCase() + word.slice(1) : word;
}

import { load } from 'js-yaml';
import { yamlOf } from './text/manifest-text.ts';
import type { GeneratedFile } from '../output/output-folder.ts';

/** The values that a template reads. */
interface Scope {
  readonly Values: unknown;
  /** The item of a range. */
  readonly item?: unknown;
  readonly Release: { readonly Name: string; readonly Namespace: string; readonly Service: string };
}

/** Changes of an installation. */
export interface Installation {
  readonly name?: string;
  readonly namespace?: string;
  /** Is merged into `values.yaml`, maps member by member. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Renders the templates of a chart as Helm does, with the few actions that our charts have; any other action is an error.
 * Returns the text of each template by its path.
 */
export function renderChart(
  files: readonly GeneratedFile[],
  { name = 'release', namespace = 'default', values = {} }: Installation = {},
): ReadonlyMap<string, string> {
  const defaults = files.find(({ path }) => path === 'chart/values.yaml')?.text ?? '';
  const scope: Scope = {
    Values: merged(load(defaults), values),
    Release: { Name: name, Namespace: namespace, Service: 'Helm' },
  };
  const templates = files.filter(({ path }) => path.startsWith('chart/templates/'));
  return new Map(templates.map(({ path, text }) => [path, rendered(text, scope)]));
}

function merged(base: unknown, change: unknown): unknown {
  if (!isMap(base) || !isMap(change)) return change;
  const members = Object.entries(change).map(([name, value]) => [name, merged(base[name], value)]);
  return { ...base, ...Object.fromEntries(members) };
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rendered(text: string, scope: Scope): string {
  const body = text.replace(/^\{\{- \/\*.*?\*\/ -\}\}\s*/, '');
  const ranged = /^\{\{- range (.*?) \}\}([^]*)\{\{- end \}\}\n$/.exec(body);
  if (ranged !== null) {
    const items = operand(ranged[1] ?? '', scope) as readonly unknown[];
    return items.map((item) => withValues(ranged[2] ?? '', { ...scope, item })).join('');
  }
  const guarded = /^\{\{- if (.*?) \}\}([^]*)\n\{\{- end \}\}\n$/.exec(body);
  if (guarded === null) return withValues(body, scope);
  const [, condition = '', inner = ''] = guarded;
  return isTrue(evaluate(condition, scope)) ? withValues(inner, scope) : '';
}

/** As the templates of Go decide: empty lists, maps and texts are false. */
function isTrue(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Renders the lists and maps that join those around them. */
function withSpreads(text: string, scope: Scope): string {
  const spread = /\s*\{\{- with (\S+) \}\}\{\{- toYaml \. \| nindent (\d+) \}\}\{\{- end \}\}/g;
  return text.replaceAll(spread, (_all, path: string, width: string) => {
    const value = operand(path, scope);
    return isTrue(value) ? String(filtered(yamlOf(value).trimEnd(), `nindent ${width}`)) : '';
  });
}

function withValues(text: string, scope: Scope): string {
  return withSpreads(text, scope).replaceAll(
    /(\s*)\{\{(-?) (.*?) \}\}/g,
    (_all, space: string, trim, action: string) => {
      return `${trim === '' ? space : ''}${String(evaluate(action, scope))}`;
    },
  );
}

function evaluate(action: string, scope: Scope): unknown {
  const [head = '', ...filters] = action.split(' | ');
  return filters.reduce<unknown>(filtered, operand(head, scope));
}

function filtered(value: unknown, filter: string): unknown {
  const [name, width] = filter.split(' ');
  if (name === 'quote') return JSON.stringify(String(value));
  if (name === 'int') return Math.trunc(Number(value));
  if (name !== 'nindent') throw new Error(`unknown filter ${filter}`);
  const space = ' '.repeat(Number(width));
  return String(value)
    .split('\n')
    .map((line) => `\n${space}${line}`)
    .join('');
}

function operand(text: string, scope: Scope): unknown {
  const greater = /^gt \(int (\S+)\) (\d+)$/.exec(text);
  const both = /^and (\S+) \((.*)\)$/.exec(text);
  if (both) return isTrue(operand(both[1] ?? '', scope)) && isTrue(operand(both[2] ?? '', scope));
  if (text.startsWith('not ')) return !isTrue(operand(text.slice('not '.length), scope));
  const joined = /^join "," (\S+)$/.exec(text);
  if (joined) return (operand(joined[1] ?? '', scope) as readonly string[]).join(',');
  if (text === '.') return scope.item;
  if (text.startsWith('$.')) return operand(text.slice(1), scope);
  if (greater) return Number(operand(greater[1] ?? '', scope)) > Number(greater[2]);
  if (text.startsWith('toYaml '))
    return yamlOf(operand(text.slice('toYaml '.length), scope)).trimEnd();
  if (text.startsWith('printf ')) return printed(text.slice('printf '.length), scope);
  if (text === '"{{"') return '{{';
  if (!/^(?:\.\w+)+$/.test(text)) throw new Error(`unknown action ${text}`);
  return text.slice(1).split('.').reduce<unknown>(memberOf, scope);
}

function printed(words: string, scope: Scope): string {
  const [, format = '""', rest = ''] = /^("(?:[^"\\]|\\.)*")(.*)$/.exec(words) ?? [];
  const values = rest
    .trim()
    .split(' ')
    .map((word) => operand(word, scope));
  return (JSON.parse(format) as string).replaceAll(/%[s%]/g, (verb) =>
    verb === '%%' ? '%' : String(values.shift()),
  );
}

function memberOf(owner: unknown, name: string): unknown {
  return (owner as Readonly<Record<string, unknown>>)[name];
}

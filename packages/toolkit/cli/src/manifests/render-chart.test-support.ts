import { load } from 'js-yaml';
import { yamlOf } from './text/manifest-text.ts';
import type { GeneratedFile } from '../output/output-folder.ts';

/** The values that a template reads. */
interface Scope {
  readonly Values: unknown;
  readonly Release: { readonly Name: string; readonly Namespace: string; readonly Service: string };
}

/** Changes of an installation. */
export interface Installation {
  readonly name?: string;
  readonly namespace?: string;
  /** Replaces top-level members of `values.yaml`. */
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
    Values: { ...(load(defaults) as object), ...values },
    Release: { Name: name, Namespace: namespace, Service: 'Helm' },
  };
  const templates = files.filter(({ path }) => path.startsWith('chart/templates/'));
  return new Map(templates.map(({ path, text }) => [path, rendered(text, scope)]));
}

function rendered(text: string, scope: Scope): string {
  const body = text.replace(/^\{\{- \/\*.*?\*\/ -\}\}\s*/, '');
  const guarded = /^\{\{- if (.*?) \}\}([^]*)\n\{\{- end \}\}\n$/.exec(body);
  if (guarded === null) return withValues(body, scope);
  const [, condition = '', inner = ''] = guarded;
  return evaluate(condition, scope) === true ? withValues(inner, scope) : '';
}

function withValues(text: string, scope: Scope): string {
  return text.replaceAll(
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

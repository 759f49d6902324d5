import type { Result } from './results.ts';
import { isMet, measuredFor, targets, type Target } from './targets.ts';
import type { Spread } from './spread.ts';

const BEGIN = '<!-- table: npm run bench:table -->';
const END = '<!-- end of table -->';

/** The page with the table between its two marks made from the results. */
export function withTable(page: string, results: readonly Result[]): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error('the page has no place for the table');
  return `${page.slice(0, begin + BEGIN.length)}\n\n${table(results)}\n${page.slice(end)}`;
}

function table(results: readonly Result[]): string {
  const head = [
    'case',
    'unit',
    'Keelson',
    'client-node',
    'limit',
    '÷ client-node',
    '÷ limit',
    'target',
    '',
  ];
  const rows = results.map((result) => rowOf(result, results));
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

function rowOf(result: Result, all: readonly Result[]): readonly string[] {
  const target = targets[result.case];
  return [
    `\`${result.case}\``,
    result.unit,
    spread(result.keelson),
    spread(result.clientNode),
    spread(result.limit),
    result.ratioToClientNode === null ? '' : String(result.ratioToClientNode),
    result.ratioToLimit === null ? '' : String(result.ratioToLimit),
    target === undefined ? '' : wording(target),
    target === undefined ? '' : verdict(target, result, all),
  ];
}

function spread(value: Spread | null): string {
  if (value === null) return '–';
  return `${figure(value.median)} (${figure(value.min)}–${figure(value.max)})`;
}

function figure(value: number): string {
  if (value >= 1e6) return `${String(Number((value / 1e6).toPrecision(3)))} M`;
  if (value < 1000) return String(value);
  return Math.round(value).toLocaleString('en-US').replaceAll(',', ' ');
}

function wording(target: Target): string {
  const of = { figure: '', ratioToClientNode: '÷ client-node ', ratioToLimit: '÷ limit ' };
  const subject = target.of in of ? of[target.of as keyof typeof of] : `÷ ${target.of.slice(9)} `;
  if (target.atMost === Infinity) return 'syncs';
  if (target.atMost !== undefined) return `${subject}≤ ${figure(target.atMost)}`;
  return `${subject}≥ ${figure(target.atLeast ?? 0)}`;
}

function verdict(target: Target, result: Result, all: readonly Result[]): string {
  const measured = measuredFor(target, result, all);
  if (measured === undefined) return 'not measured';
  return isMet(target, measured) ? 'met' : '**missed**';
}

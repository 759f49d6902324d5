import type { Environment } from '@marcbachmann/cel-js';
import { isIP } from 'node:net';
import type { CelLibrary } from './cel-library.ts';

/** The text functions of kube-apiserver that the library lacks: `find findAll replace charAt reverse isIP`. */
export function registerTextFunctions(
  environment: Environment,
  { EvaluationError }: CelLibrary,
): void {
  const pattern = (source: string, flags = 'u'): RegExp => {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw new EvaluationError(`error parsing regexp: ${source}`, undefined, error);
    }
  };
  environment
    .registerFunction('string.find(string): string', (text: string, source: string) =>
      found(pattern(source).exec(text)),
    )
    .registerFunction(
      'string.findAll(string): list<string>',
      (text: string, source: string) => text.match(pattern(source, 'gu')) ?? [],
    )
    .registerFunction(
      'string.findAll(string, int): list<string>',
      (text: string, source: string, most: bigint) => {
        const all = text.match(pattern(source, 'gu')) ?? [];
        return most < 0n ? all : all.slice(0, Number(most));
      },
    )
    .registerFunction(
      'string.replace(string, string): string',
      (text: string, old: string, next: string) => text.replaceAll(old, () => next),
    )
    .registerFunction('string.replace(string, string, int): string', replaceSome)
    .registerFunction('string.charAt(int): string', (text: string, index: bigint) => {
      const characters = Array.from(text);
      if (index < 0n || index > characters.length) {
        throw new EvaluationError(`index out of range: ${index}`);
      }
      return characters[Number(index)] ?? '';
    })
    .registerFunction('string.reverse(): string', (text: string) =>
      Array.from(text).toReversed().join(''),
    )
    .registerFunction('isIP(string): bool', (text: string) => isIP(text) !== 0);
}

function found(match: RegExpExecArray | null): string {
  return match?.[0] ?? '';
}

function replaceSome(text: string, old: string, next: string, most: bigint): string {
  if (most < 0n) return text.replaceAll(old, () => next);
  const parts = text.split(old);
  const count = Math.min(Number(most), parts.length - 1);
  const head = parts.slice(0, count + 1).join(next);
  return [head, ...parts.slice(count + 1)].join(old);
}

import { checkFunction, checkOptions, invalidOption, type Scope } from '@keelson/apimachinery';
import { isJsonObject, validateLabels } from '@keelson/structural-schema';
import { checkForms } from '../kind/check-forms.ts';
import {
  checkNames,
  checkVersionName,
  checkVersionOptions,
  nameOptions,
} from '../kind/check-kind.ts';
import { checkWebhook } from './conversion-webhook.ts';
import type { VersionedKindOptions, VersionMap } from './versioned-options.ts';

type Options = VersionedKindOptions<VersionMap, string, Scope>;

const where = 'defineKind';
const ofVersions = 'has each version of its own: give it in `versions`';
const mistakes = {
  version: 'the names of `versions` are the versions',
  spec: ofVersions,
  status: ofVersions,
  conversion: 'use `convert`',
};

/** Throws `INVALID_OPTION` for what the versions share, and for a conversion that does not fit them. */
export function checkVersions(options: Options): void {
  checkOptions(options, [...nameOptions, 'versions', 'storage', 'convert'], where, mistakes);
  const { versions, storage, convert, ...names } = options;
  if (!isJsonObject(versions) || Object.keys(versions).length === 0) {
    throw invalidOption(`${where}.versions`, 'must be an object with at least one version');
  }
  checkForms({ ...names, version: '', spec: {} }, where);
  checkNames(names);
  for (const [version, given] of Object.entries(versions)) {
    checkVersionName(version, `${where}.versions`);
    checkVersionOptions(given, `${where}.versions.${version}`);
  }
  const known = Object.keys(versions);
  checkOneOf(storage ?? known[0], `${where}.storage`, known);
  checkConvert(convert, known);
}

function checkConvert(convert: Options['convert'], versions: readonly string[]): void {
  const option = `${where}.convert`;
  const known = ['hub', 'strategy', 'from', 'to', 'keep', 'webhook'];
  const cures = { keepAnnotation: 'use `keep: { annotation }`', service: 'use `webhook`' };
  checkOptions(convert, known, option, cures);
  checkOneOf(convert.hub, `${option}.hub`, versions);
  checkOneOf(convert.strategy ?? 'Webhook', `${option}.strategy`, ['None', 'Webhook']);
  if (convert.strategy === 'None') {
    checkOptions(convert, ['hub', 'strategy'], option);
    return;
  }
  const others = versions.filter((version) => version !== convert.hub);
  for (const direction of ['from', 'to'] as const) {
    const functions: object = convert[direction];
    checkOptions(functions, others, `${option}.${direction}`);
    for (const version of others) {
      const given = Object.getOwnPropertyDescriptor(functions, version);
      checkFunction(given?.value, `${option}.${direction}.${version}`);
    }
  }
  if (convert.webhook !== undefined) checkWebhook(convert.webhook);
  if (convert.keep !== undefined) checkKeep(convert.keep, `${option}.keep`);
}

function checkOneOf(value: unknown, option: string, known: readonly string[]): void {
  if (typeof value === 'string' && known.includes(value)) return;
  throw invalidOption(option, `must be one of ${known.join(' ')}`, { value });
}

function checkKeep(keep: { readonly annotation: string }, option: string): void {
  checkOptions(keep, ['annotation'], option);
  const { annotation } = keep;
  const isName = typeof annotation === 'string' && annotation.includes('/');
  if (isName && validateLabels({ [annotation]: '' }, '').length === 0) return;
  const expected = 'must be the name of an annotation such as shop.example/kept-fields';
  throw invalidOption(`${option}.annotation`, expected);
}

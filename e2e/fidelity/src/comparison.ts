import { isDeepStrictEqual } from 'node:util';
import { NormalForm } from './normal-form.ts';
import type { StepResponse } from './player.ts';

/** A place where two bodies differ. A missing member is undefined. */
export interface Place {
  /** Member names and indexes, separated by dots. */
  readonly path: string;
  readonly left: unknown;
  readonly right: unknown;
}

/** A step to which two servers respond differently. */
export interface Difference {
  readonly chapter: string;
  readonly step: string;
  readonly request: string;
  readonly statuses: readonly [number, number];
  /** Every place where the bodies differ, with whole values. */
  readonly places: readonly Place[];
}

/** The number of equal responses in two recordings, and the differences. */
export interface Agreement {
  readonly steps: number;
  readonly sameStatus: number;
  readonly sameBody: number;
  readonly differences: readonly Difference[];
}

/** The responses of one server by chapter. */
export type Recording = Readonly<Record<string, readonly StepResponse[]>>;

/** Limit of the places that are printed for a step. */
const MOST_PLACES = 6;

/**
 * Prints the first places as `path: one ≠ other` with long values truncated. For readers only, not for comparisons.
 */
export function linesOf(places: readonly Place[]): string[] {
  return places
    .slice(0, MOST_PLACES)
    .map(({ path, left, right }) => `${path || '(body)'}: ${short(left)} ≠ ${short(right)}`);
}

/** Returns the steps of a recording that waited in vain, as `chapter: step`. Each takes the longest time that a step may take. */
export function lateSteps(recording: Recording): string[] {
  return Object.entries(recording).flatMap(([chapter, responses]) =>
    responses.filter(({ isLate }) => isLate === true).map(({ step }) => `${chapter}: ${step}`),
  );
}

/** Compares two recordings of the same chapters. */
export function compare(left: Recording, right: Recording): Agreement {
  let steps = 0;
  let sameStatus = 0;
  let sameBody = 0;
  const differences: Difference[] = [];
  for (const [chapter, responses] of Object.entries(left)) {
    const [one, other] = [new NormalForm(), new NormalForm()];
    for (const [index, response] of responses.entries()) {
      const counterpart = right[chapter]?.[index];
      if (counterpart === undefined) continue;
      steps += 1;
      const places = response.statusOnly ? [] : placesOf(response, counterpart, one, other);
      const status = response.status === counterpart.status;
      if (status) sameStatus += 1;
      if (status && places.length === 0) sameBody += 1;
      else {
        const statuses = [response.status, counterpart.status] as const;
        const { step, request } = response;
        differences.push({ chapter, step, request, statuses, places });
      }
    }
  }
  return { steps, sameStatus, sameBody, differences };
}

function placesOf(
  left: StepResponse,
  right: StepResponse,
  one: NormalForm,
  other: NormalForm,
): Place[] {
  const places: Place[] = [];
  collect(one.of(left.body, left.step), other.of(right.body, right.step), '', places);
  collect(one.of(left.warnings), other.of(right.warnings), 'warnings', places);
  return places;
}

function collect(left: unknown, right: unknown, path: string, places: Place[]): void {
  if (isDeepStrictEqual(left, right)) return;
  const bothObjects = isObject(left) && isObject(right);
  if (!bothObjects || Array.isArray(left) !== Array.isArray(right)) {
    places.push({ path, left, right });
    return;
  }
  for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inner = path === '' ? name : `${path}.${name}`;
    collect(Reflect.get(left, name), Reflect.get(right, name), inner, places);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function short(value: unknown): string {
  const text = value === undefined ? '(absent)' : JSON.stringify(value);
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
}

import type { StatusCause } from '@keelson/apimachinery';
import { keyPath } from '@keelson/structural-schema';
import type { CheckedLevel } from './security-check.ts';

export type SecurityLevel = CheckedLevel | 'privileged';

/** A level of the Pod Security Standards, as one version of Kubernetes defines it. */
export interface LevelVersion {
  readonly level: SecurityLevel;
  /** The minor version, or `latest` for the newest. */
  readonly version: number | 'latest';
}

/** The levels that the labels of a namespace request. */
export interface PodSecurityPolicy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
  /** The invalid labels. */
  readonly causes: readonly StatusCause[];
}

/** In ascending order of strictness. */
const levels = ['privileged', 'baseline', 'restricted'] as const;
const prefix = 'pod-security.kubernetes.io/';
const modes = ['enforce', 'audit', 'warn'] as const;

type Labels = Readonly<Record<string, string>>;

/**
 * Parses the labels of a namespace. An invalid level counts as `restricted` in `enforce` and as `privileged` in
 * `warn`.
 */
export function policyOf(labels: Labels = {}): PodSecurityPolicy {
  const enforce = levelVersion(labels, 'enforce', 'restricted');
  const asked = levelVersion(labels, 'warn', 'privileged');
  const followsEnforce =
    labels[`${prefix}warn`] === undefined &&
    levels.includes(labels[`${prefix}enforce`] as SecurityLevel) &&
    isStricter(enforce.level, asked.level);
  const { version } = labels[`${prefix}warn-version`] === undefined ? enforce : asked;
  const warn = followsEnforce ? { level: enforce.level, version } : asked;
  return { enforce, warn, causes: modes.flatMap((mode) => causesOf(labels, mode)) };
}

export function isStricter(level: SecurityLevel, than: SecurityLevel): boolean {
  return levels.indexOf(level) > levels.indexOf(than);
}

/** Formats a level: `restricted:latest`, `baseline:v1.30`. */
export function showLevel({ level, version }: LevelVersion): string {
  return `${level}:${version === 'latest' ? version : `v1.${version}`}`;
}

function levelVersion(
  labels: Labels,
  mode: (typeof modes)[number],
  unreadable: SecurityLevel,
): LevelVersion {
  const text = labels[`${prefix}${mode}`] ?? 'privileged';
  const level = levels.find((known) => known === text) ?? unreadable;
  return { level, version: versionOf(labels[`${prefix}${mode}-version`]) ?? 'latest' };
}

function versionOf(text: string | undefined): number | 'latest' | undefined {
  if (text === undefined || text === 'latest') return 'latest';
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  return minor === undefined ? undefined : Number(minor);
}

function causesOf(labels: Labels, mode: (typeof modes)[number]): StatusCause[] {
  const level = labels[`${prefix}${mode}`];
  const version = labels[`${prefix}${mode}-version`];
  const isLevel = level === undefined || levels.some((known) => known === level);
  return [
    ...(isLevel ? [] : [cause(mode, level, `must be one of ${levels.join(', ')}`)]),
    ...(versionOf(version) === undefined
      ? [cause(`${mode}-version`, version ?? '', 'must be "latest" or "v1.x"')]
      : []),
  ];
}

function cause(label: string, value: string, why: string): StatusCause {
  return {
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
    field: keyPath('metadata.labels', `${prefix}${label}`),
  };
}

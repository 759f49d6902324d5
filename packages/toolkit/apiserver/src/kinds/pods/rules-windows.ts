import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt } from '../../json/json-members.ts';

/** The longest credential specification in KiB. */
const MAX_CREDENTIAL_KIB = 64;
/** The lengths of the parts of a user name with a domain. */
const DOMAIN_LENGTH_LIMIT = 256;
const MAX_USER_LENGTH = 104;

/** Validates the options of Windows in a security context. */
export function validateWindowsOptions(context: JsonObject, path: FieldPath): StatusCause[] {
  const options = objectAt(context, 'windowsOptions');
  const field = childPath(path, 'windowsOptions');
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  return [
    ...(typeof name === 'string'
      ? checkSubdomain(name).map((detail) =>
          invalid(childPath(field, 'gmsaCredentialSpecName'), name, detail),
        )
      : []),
    ...(typeof spec === 'string'
      ? validateCredentials(spec, childPath(field, 'gmsaCredentialSpec'))
      : []),
    ...(typeof user === 'string'
      ? userProblems(user).map((problem) =>
          invalid(childPath(field, 'runAsUserName'), user, `runAsUserName${problem}`),
        )
      : []),
  ];
}

function validateCredentials(spec: string, path: FieldPath): StatusCause[] {
  if (spec === '') return [invalid(path, spec, 'gmsaCredentialSpec cannot be an empty string')];
  if (Buffer.byteLength(spec) <= MAX_CREDENTIAL_KIB * 1024) return [];
  return [invalid(path, spec, `gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_KIB} KiB`)];
}

/** The last control character of ASCII; the others come before the space. */
const DELETE_CHARACTER = '\u007F';
const netBiosName = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const dnsLabel = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
const dnsName = new RegExp(String.raw`^${dnsLabel}(?:\.${dnsLabel})*$`);

/** Returns what is wrong with a user name, which may have a domain in front. */
function userProblems(text: string): string[] {
  if (text === '') return [' cannot be an empty string'];
  if (Array.from(text).some((each) => each < ' ' || each === DELETE_CHARACTER)) {
    return [' cannot contain control characters'];
  }
  const parts = text.split('\\');
  if (parts.length > 2) return [' cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? domainProblems(parts[0] ?? '') : []), ...nameProblems(user)];
}

function domainProblems(domain: string): string[] {
  return [
    ...(domain.length >= DOMAIN_LENGTH_LIMIT
      ? [`'s Domain length must be under ${DOMAIN_LENGTH_LIMIT} characters`]
      : []),
    ...(netBiosName.test(domain) || dnsName.test(domain)
      ? []
      : ["'s Domain doesn't match the NetBios nor the DNS format"]),
  ];
}

function nameProblems(user: string): string[] {
  return [
    ...(user === '' ? ["'s User cannot be empty"] : []),
    ...(user.length > MAX_USER_LENGTH
      ? [`'s User length must not be longer than ${MAX_USER_LENGTH} characters`]
      : []),
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/\\:;|=,+*?<>@[\]]/.test(user)
      ? [String.raw`'s User cannot contain the following characters: "/\:;|=,+*?<>@[]`]
      : []),
  ];
}

/** A container of any type and its path. */
type PlacedContainer = readonly [container: JsonObject, path: FieldPath];

/** The containers of all types in the order in which kube-apiserver visits them. */
export function placedContainers(spec: JsonObject, path: FieldPath): PlacedContainer[] {
  return ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsAt(spec, list).map(
      (container, index) => [container, indexPath(childPath(path, list), index)] as const,
    ),
  );
}

/** Either all containers of a pod are processes of the host or none is, and the former need its network. */
export function validateHostProcesses(spec: JsonObject, path: FieldPath): StatusCause[] {
  const ofPod = hostProcessOf(spec);
  const placed = placedContainers(spec, path);
  const differs = `pod hostProcess value must be identical if both are specified, was ${String(ofPod)}`;
  const count = placed.filter(([container]) => hostProcessOf(container) ?? ofPod).length;
  const mixed =
    'If pod contains any hostProcess containers then all containers must be HostProcess containers';
  const network = 'hostNetwork must be true if pod contains any hostProcess containers';
  const isSome = count > 0;
  return [
    ...placed.flatMap(([container, place]) => {
      const own = hostProcessOf(container);
      const field = childPath(place, 'securityContext.windowsOptions.hostProcess');
      return ofPod === undefined || own === undefined || own === ofPod
        ? []
        : [invalid(field, own, differs)];
    }),
    ...(isSome && count < placed.length ? [invalid(path, '', mixed)] : []),
    ...(isSome && spec.hostNetwork !== true
      ? [invalid(childPath(path, 'hostNetwork'), false, network)]
      : []),
  ];
}

function hostProcessOf(holder: JsonObject): boolean | undefined {
  const { hostProcess } = objectAt(objectAt(holder, 'securityContext'), 'windowsOptions');
  return typeof hostProcess === 'boolean' ? hostProcess : undefined;
}

/** A field of a security context with a value that only Linux has. */
const linuxOfPod = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
];

const linuxOfContainer = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
].map((name) => `securityContext.${name}`);

/** Fields that kube-apiserver keeps as values without a presence: `false` and an empty list count as absent. */
const absentIfEmpty: ReadonlySet<string> = new Set([
  'hostPID',
  'hostIPC',
  'securityContext.sysctls',
]);

/** Rejects fields of another operating system than that of the pod. */
export function validateSystemFields(spec: JsonObject, path: FieldPath): StatusCause[] {
  const system = textAt(objectAt(spec, 'os'), 'name');
  const placed = placedContainers(spec, path);
  if (system === 'windows') {
    const detail = 'cannot be set for a windows pod';
    return [
      ...presentFields(spec, path, linuxOfPod, detail),
      ...placed.flatMap(([container, place]) =>
        presentFields(container, place, linuxOfContainer, detail),
      ),
    ];
  }
  if (system !== 'linux') return [];
  const detail = 'windows options cannot be set for a linux pod';
  const holders: PlacedContainer[] = [[spec, path], ...placed];
  return holders.flatMap(([holder, place]) =>
    presentFields(holder, place, ['securityContext.windowsOptions'], detail),
  );
}

function presentFields(
  holder: JsonObject,
  path: FieldPath,
  fields: readonly string[],
  detail: string,
): StatusCause[] {
  return fields
    .filter((field) => isPresent(holder, field))
    .map((field) => forbidden(childPath(path, field), detail));
}

function isPresent(holder: JsonObject, field: string): boolean {
  const [outer = '', inner] = field.split('.');
  const value = inner === undefined ? holder[outer] : objectAt(holder, outer)[inner];
  if (!absentIfEmpty.has(field)) return value !== undefined;
  return Array.isArray(value) ? value.length > 0 : value === true || isJsonObject(value);
}

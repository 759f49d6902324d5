import { X509Certificate } from 'node:crypto';
import type { StatusCause } from '@keelson/apimachinery';
import { checkDnsLabel, checkSubdomain } from '@keelson/cel/internal';
import {
  childPath,
  duplicate,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isNumeric,
  type JsonObject,
  notSupported,
  required,
  tooLong,
} from '@keelson/structural-schema';
import { objectAt, objectsAt, textAt, textsAt } from '../../json/json-members.ts';
import type { WrittenPart } from '../../schema/kind-schema.ts';
import { CertificateRequestError, parseCertificateRequest } from './certificate-request.ts';
import { pemBlocks } from './pem-blocks.ts';

/** Conditions that only `/approval` may add, change or remove. */
export const approvalConditions = ['Approved', 'Denied'] as const;

const trueConditions = new Set(['Approved', 'Denied', 'Failed']);
const conditionStatuses = ['False', 'True', 'Unknown'];
const bothDecisions = 'Approved and Denied conditions are mutually exclusive';
const MIN_LIFETIME_SECONDS = 600;
const MAX_DOMAIN_BYTES = 253;
const MAX_SIGNER_BYTES = 571;

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];

/** Validates a CertificateSigningRequest except its metadata. `part` selects what an update may change. */
export function validateCertificateRequest(
  object: JsonObject,
  old: JsonObject | undefined,
  part: WrittenPart,
): StatusCause[] {
  const spec = objectAt(object, 'spec');
  const status = objectAt(object, 'status');
  const before = old && objectAt(old, 'status');
  return [
    ...validateSpec(spec, 'spec'),
    ...validateConditions(status, before, 'status.conditions'),
    ...validateCertificate(textAt(status, 'certificate'), before, 'status.certificate'),
    ...(before === undefined ? [] : validateChange(status, before, part)),
  ];
}

function validateSpec(spec: JsonObject, path: FieldPath): StatusCause[] {
  const { request = null, expirationSeconds: lifetime } = spec;
  const problem = requestProblem(textAt(spec, 'request'));
  const field = childPath(path, 'expirationSeconds');
  const detail = 'may not specify a duration less than 600 seconds (10 minutes)';
  return [
    ...(problem === undefined ? [] : [invalid(childPath(path, 'request'), request, problem)]),
    ...validateUsages(textsAt(spec, 'usages'), childPath(path, 'usages')),
    ...validateSigner(textAt(spec, 'signerName'), childPath(path, 'signerName')),
    ...(isNumeric(lifetime) && lifetime < MIN_LIFETIME_SECONDS
      ? [invalid(field, lifetime, detail)]
      : []),
  ];
}

function requestProblem(base64: string): string | undefined {
  try {
    return parseCertificateRequest(textOf(base64)).signatureProblem;
  } catch (error) {
    if (error instanceof CertificateRequestError) return error.message;
    throw error;
  }
}

function textOf(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}

function validateUsages(given: readonly string[], path: FieldPath): StatusCause[] {
  if (given.length === 0) return [required(path)];
  return [
    ...given.flatMap((usage, index) =>
      usages.includes(usage) ? [] : [notSupported(indexPath(path, index), usage, usages)],
    ),
    ...given.flatMap((usage, index) =>
      given.indexOf(usage) < index ? [duplicate(indexPath(path, index), usage)] : [],
    ),
  ];
}

function validateSigner(name: string, path: FieldPath): StatusCause[] {
  if (name === '') return [required(path)];
  if (name === 'kubernetes.io/legacy-unknown') {
    return [invalid(path, name, 'the legacy signerName is not allowed via this API version')];
  }
  const [domain = '', signer, ...others] = name.split('/');
  if (signer === undefined || others.length > 0) {
    const detail =
      "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(path, name, detail)];
  }
  const hasOneLabel = !domain.includes('.');
  const detail = 'should be a domain with at least two segments separated by dots';
  return [
    ...(domain.length > MAX_DOMAIN_BYTES ? [tooLong(path, MAX_DOMAIN_BYTES)] : []),
    ...labelCauses(domain, checkDnsLabel, path),
    ...(hasOneLabel ? [invalid(path, domain, detail)] : []),
    ...labelCauses(signer, checkSubdomain, path),
    ...(name.length > MAX_SIGNER_BYTES ? [tooLong(path, MAX_SIGNER_BYTES)] : []),
  ];
}

/** The causes of the first invalid label. */
function labelCauses(
  text: string,
  check: (label: string) => readonly string[],
  path: FieldPath,
): StatusCause[] {
  for (const label of text.split('.')) {
    const details = check(label);
    if (details.length === 0) continue;
    return details.map((detail) =>
      invalid(path, text, `validating label ${JSON.stringify(label)}: ${detail}`),
    );
  }
  return [];
}

/** A problem that the stored object has already does not make an update invalid. */
function validateConditions(
  status: JsonObject,
  old: JsonObject | undefined,
  path: FieldPath,
): StatusCause[] {
  const types = typesOf(status);
  const known = old === undefined ? [] : typesOf(old);
  const toleratesBoth = approvalConditions.every((type) => known.includes(type));
  const toleratesRepeated = new Set(known).size < known.length;
  return objectsAt(status, 'conditions').flatMap((condition, index) => {
    const type = types[index] ?? '';
    const earlier = types.slice(0, index);
    const field = indexPath(path, index);
    return [
      ...(type === '' && !known.includes('') ? [required(childPath(field, 'type'))] : []),
      ...validateConditionStatus(condition, childPath(field, 'status')),
      ...(!toleratesBoth && contradicts(type, earlier) ? [invalid(path, type, bothDecisions)] : []),
      ...(!toleratesRepeated && earlier.includes(type)
        ? [duplicate(childPath(field, 'type'), type)]
        : []),
    ];
  });
}

function contradicts(type: string, earlier: readonly string[]): boolean {
  if (type === 'Approved') return earlier.includes('Denied');
  return type === 'Denied' && earlier.includes('Approved');
}

function typesOf(status: JsonObject): string[] {
  return objectsAt(status, 'conditions').map((condition) => textAt(condition, 'type'));
}

function validateConditionStatus(condition: JsonObject, path: FieldPath): StatusCause[] {
  const status = textAt(condition, 'status');
  if (status === '') return [required(path)];
  const allowed = trueConditions.has(textAt(condition, 'type')) ? ['True'] : conditionStatuses;
  return allowed.includes(status) ? [] : [notSupported(path, status, allowed)];
}

function validateCertificate(
  certificate: string,
  old: JsonObject | undefined,
  path: FieldPath,
): StatusCause[] {
  if (certificate === '') return [];
  const before = old === undefined ? '' : textAt(old, 'certificate');
  if (certificate === before || certificateProblem(before) !== undefined) return [];
  const problem = certificateProblem(certificate);
  return problem === undefined ? [] : [invalid(path, '<certificate data>', problem)];
}

function certificateProblem(base64: string): string | undefined {
  if (base64 === '') return undefined;
  const blocks = pemBlocks(textOf(base64));
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    }
    if (hasHeaders) return 'no PEM block headers are permitted';
    if (bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    if (!isCertificate(bytes)) return 'x509: malformed certificate';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).subject !== undefined;
  } catch {
    return false;
  }
}

function validateChange(status: JsonObject, old: JsonObject, part: WrittenPart): StatusCause[] {
  return [
    ...[...trueConditions].flatMap((type) =>
      countOf(status, type) < countOf(old, type)
        ? [conditionForbidden(`updates may not remove a condition of type "${type}"`)]
        : [],
    ),
    ...(part === 'approval' ? [] : approvalConditions).flatMap((type) =>
      countOf(status, type) > countOf(old, type)
        ? [conditionForbidden(`updates may not add a condition of type "${type}"`)]
        : [],
    ),
    ...certificateChange(textAt(status, 'certificate'), textAt(old, 'certificate'), part),
  ];
}

function conditionForbidden(detail: string): StatusCause {
  return forbidden('status.conditions', detail);
}

function countOf(status: JsonObject, type: string): number {
  return typesOf(status).filter((each) => each === type).length;
}

function certificateChange(next: string, before: string, part: WrittenPart): StatusCause[] {
  if (next === before) return [];
  const path = 'status.certificate';
  if (part !== 'status') return [forbidden(path, 'updates may not set certificate content')];
  if (before === '') return [];
  return [forbidden(path, 'updates may not modify existing certificate content')];
}

import type { StatusCause } from '@keelson/apimachinery';
import { checkDns1035Label } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  forbidden,
  indexPath,
  invalid,
  isJsonObject,
  type JsonObject,
  notSupported,
  required,
} from '@keelson/structural-schema';
import { X509Certificate } from 'node:crypto';
import { objectAt, textAt, textsAt } from '../../json/json-members.ts';
import { serviceCauses, urlCauses } from '../shared/rules-client-config.ts';

const strategies = ['None', 'Webhook'];
const path: FieldPath = 'spec.conversion';

/** Validates the conversion stanza of a definition, and of an update of `old`. */
export function validateConversion(
  definition: JsonObject,
  old: JsonObject | undefined,
): StatusCause[] {
  const { conversion, preserveUnknownFields } = objectAt(definition, 'spec');
  if (!isJsonObject(conversion)) return [];
  const strategy = textAt(conversion, 'strategy');
  const field = childPath(path, 'strategy');
  const causes: StatusCause[] = [];
  if (strategy !== 'None' && preserveUnknownFields === true) {
    causes.push(invalid(field, strategy, 'must be None if spec.preserveUnknownFields is true'));
  }
  if (strategy === '') causes.push(required(field));
  else if (!strategies.includes(strategy)) causes.push(notSupported(field, strategy, strategies));
  const { webhook } = conversion;
  const given = isJsonObject(webhook) ? webhook : {};
  if (strategy !== 'Webhook') return [...causes, ...unusedCauses(given)];
  return [
    ...causes,
    ...clientCauses(given, mayHaveInvalidAuthority(old)),
    ...reviewVersionCauses(textsAt(given, 'conversionReviewVersions')),
  ];
}

function unusedCauses(webhook: JsonObject): StatusCause[] {
  const detail = 'should not be set when strategy is not set to Webhook';
  return [
    ...(isJsonObject(webhook['clientConfig'])
      ? [forbidden(childPath(path, 'webhookClientConfig'), detail)]
      : []),
    ...(textsAt(webhook, 'conversionReviewVersions').length > 0
      ? [forbidden(childPath(path, 'conversionReviewVersions'), detail)]
      : []),
  ];
}

function clientCauses(webhook: JsonObject, mayBeInvalid: boolean): StatusCause[] {
  const field = childPath(path, 'webhookClientConfig');
  const { clientConfig } = webhook;
  if (!isJsonObject(clientConfig))
    return [required(field, 'required when strategy is set to Webhook')];
  const { url, service, caBundle } = clientConfig;
  const hasUrl = typeof url === 'string';
  const authority =
    typeof caBundle === 'string' && caBundle !== '' && !mayBeInvalid
      ? authorityCauses(caBundle)
      : [];
  if (hasUrl === isJsonObject(service)) {
    return [required(field, 'exactly one of url or service is required'), ...authority];
  }
  return [
    ...(hasUrl
      ? urlCauses(url, childPath(field, 'url'))
      : serviceCauses(objectAt(clientConfig, 'service'), childPath(field, 'service'))),
    ...authority,
  ];
}

/** An invalid authority is accepted until the definition is established, and as long as it was invalid before. */
function mayHaveInvalidAuthority(old: JsonObject | undefined): boolean {
  if (old === undefined || !isEstablished(old)) return true;
  const webhook = objectAt(objectAt(objectAt(old, 'spec'), 'conversion'), 'webhook');
  const before = textAt(objectAt(webhook, 'clientConfig'), 'caBundle');
  return before !== '' && authorityCauses(before).length > 0;
}

/** True if a definition is being served. */
export function isEstablished(definition: JsonObject): boolean {
  const { conditions } = objectAt(definition, 'status');
  return (
    Array.isArray(conditions) &&
    conditions.some(
      (each) => isJsonObject(each) && each['type'] === 'Established' && each['status'] === 'True',
    )
  );
}

const pemBlock = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g;

function authorityCauses(base64: string): StatusCause[] {
  const blocks = Buffer.from(base64, 'base64').toString('latin1').match(pemBlock) ?? [];
  if (blocks.length > 0 && blocks.every(isCertificate)) return [];
  const field = childPath(childPath(path, 'webhookClientConfig'), 'caBundle');
  const detail = 'unable to load root certificates: unable to parse bytes as PEM block';
  return [invalid(field, base64, detail)];
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

const reviewVersions = ['v1', 'v1beta1'];

function reviewVersionCauses(versions: readonly string[]): StatusCause[] {
  const field = childPath(path, 'conversionReviewVersions');
  if (versions.length === 0) return [required(field)];
  const causes = versions.flatMap((version, index) =>
    versions.indexOf(version) < index
      ? [invalid(indexPath(field, index), version, 'duplicate version')]
      : checkDns1035Label(version).map((why) => invalid(indexPath(field, index), version, why)),
  );
  if (versions.some((version) => reviewVersions.includes(version))) return causes;
  const detail = `must include at least one of ${reviewVersions.join(', ')}`;
  return [...causes, invalid(field, versions, detail)];
}

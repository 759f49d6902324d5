import type { StatusCause } from '@keelson/apimachinery';
import { checkSubdomain, parseUrl } from '@keelson/cel/internal';
import {
  childPath,
  type FieldPath,
  invalid,
  type JsonObject,
  required,
} from '@keelson/structural-schema';
import { textAt } from '../../json/json-members.ts';

const form = '; desired format: https://host[/path]';

/** Validates the URL of a webhook. */
export function urlCauses(text: string, field: FieldPath): StatusCause[] {
  const url = parseUrl(text);
  if (typeof url === 'string') return [required(field, `url must be a valid URL: ${url}${form}`)];
  const { scheme, user, host, query, fragment } = url;
  const causes: StatusCause[] = [];
  if (scheme !== 'https') {
    causes.push(invalid(field, scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (host === '') causes.push(invalid(field, host, `host must be specified${form}`));
  if (user !== undefined) {
    causes.push(invalid(field, user, 'user information is not permitted in the URL'));
  }
  if (fragment !== '')
    causes.push(invalid(field, fragment, 'fragments are not permitted in the URL'));
  if (query !== '')
    causes.push(invalid(field, query, 'query parameters are not permitted in the URL'));
  return causes;
}

/** Validates the Service of a webhook. Kubernetes reports name and namespace of the Service under each other's field. */
export function serviceCauses(service: JsonObject, field: FieldPath): StatusCause[] {
  const { port = 443, path: urlPath } = service;
  const isPort = typeof port === 'number' && port >= 1 && port <= 65_535;
  return [
    ...(textAt(service, 'namespace') === '' ? [required(childPath(field, 'name'))] : []),
    ...(textAt(service, 'name') === '' ? [required(childPath(field, 'namespace'))] : []),
    ...(isPort
      ? []
      : [
          invalid(
            childPath(field, 'port'),
            port,
            'port is not valid: must be between 1 and 65535, inclusive',
          ),
        ]),
    ...(typeof urlPath === 'string' ? servicePathCauses(urlPath, childPath(field, 'path')) : []),
  ];
}

function servicePathCauses(urlPath: string, field: FieldPath): StatusCause[] {
  if (urlPath === '' || urlPath === '/') return [];
  if (urlPath === '//') return [invalid(field, urlPath, 'segment[0] may not be empty')];
  const start = urlPath.startsWith('/') ? [] : [invalid(field, urlPath, "must start with a '/'")];
  const steps = urlPath.slice(1).replace(/\/$/, '').split('/');
  return [
    ...start,
    ...steps.flatMap((step, index) =>
      step === ''
        ? [invalid(field, urlPath, `segment[${index}] may not be empty`)]
        : checkSubdomain(step).map((why) => invalid(field, urlPath, `segment[${index}]: ${why}`)),
    ),
  ];
}

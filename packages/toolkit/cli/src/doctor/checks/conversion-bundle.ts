import { X509Certificate } from 'node:crypto';
import { builtin, isForbidden } from '@keelson/apimachinery';
import type { Client } from '@keelson/client';
import type { WebhookProblem, WebhookService } from './conversion-endpoint.ts';

/** Where API servers call a webhook, and how they verify its certificate. */
interface WebhookAddress {
  readonly service: WebhookService;
  /** Certificates in PEM, encoded in base64. */
  readonly caBundle?: string | undefined;
}

const cure =
  'let cert-manager inject the caBundle, or name the definition in `definitions` of the certificate of the operator';

/**
 * Returns why API servers cannot verify the certificate of a webhook: `caBundle` is missing, has expired,
 * or has not issued the certificate in the Secret of the Service. Secrets that the user may not list are not compared.
 */
export async function bundleProblem(
  client: Client,
  { service, caBundle = '' }: WebhookAddress,
  signal: AbortSignal,
): Promise<WebhookProblem | undefined> {
  const authorities = certificatesIn(Buffer.from(caBundle, 'base64').toString());
  if (authorities.length === 0) return { detail: 'caBundle is missing', cure };
  const now = Date.now();
  const valid = authorities.filter(({ validToDate }) => validToDate.getTime() > now);
  if (valid.length === 0) return { detail: 'each certificate of caBundle has expired', cure };
  const served = await servedCertificates(client, service, signal);
  const isVerified = served.some((certificate) =>
    valid.some((authority) => hasIssued(authority, certificate)),
  );
  if (served.length === 0 || isVerified) return undefined;
  return { detail: 'caBundle has not issued the certificate of the webhook', cure };
}

function hasIssued(authority: X509Certificate, certificate: X509Certificate): boolean {
  if (authority.fingerprint256 === certificate.fingerprint256) return true;
  return certificate.checkIssued(authority) && certificate.verify(authority.publicKey);
}

/** Returns the certificates in Secrets that are for the name of the Service. */
async function servedCertificates(
  client: Client,
  { namespace, name }: WebhookService,
  signal: AbortSignal,
): Promise<readonly X509Certificate[]> {
  try {
    const { items } = await client.list(builtin.Secret, { namespace, signal });
    return items
      .map(({ data = {} }) => Buffer.from(data['tls.crt'] ?? '', 'base64').toString())
      .flatMap((pem) => certificatesIn(pem).slice(0, 1))
      .filter((certificate) => certificate.checkHost(`${name}.${namespace}.svc`) !== undefined);
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
}

function certificatesIn(pem: string): readonly X509Certificate[] {
  const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return found.flatMap((each) => {
    try {
      return [new X509Certificate(each)];
    } catch {
      return [];
    }
  });
}

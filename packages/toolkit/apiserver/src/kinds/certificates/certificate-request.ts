import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { derTags, type DerValue, oidText, readDer } from '@keelson/x509';
import { pemBlocks } from './pem-blocks.ts';

/** The parts of a PKCS#10 certificate request that the server evaluates. */
export interface CertificateRequest {
  /** The organizations of the subject, which become the groups of the user. */
  readonly organizations: readonly string[];
  /** The reason why the signature of the request is invalid; `undefined` if it is valid. */
  readonly signatureProblem: string | undefined;
}

/** A text that is not a certificate request; `message` is that of Go. */
export class CertificateRequestError extends Error {
  override readonly name = 'CertificateRequestError';
}

const ORGANIZATION_OID = '2.5.4.10';

/** The hash of each signature algorithm; Ed25519 has none. */
const hashes: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
};

/** Parses the PEM text of a `CertificateSigningRequest`. Throws a `CertificateRequestError` if it is malformed. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const [block] = pemBlocks(pem);
  if (block?.type !== 'CERTIFICATE REQUEST') {
    throw new CertificateRequestError('PEM block type must be CERTIFICATE REQUEST');
  }
  try {
    return parseDer(block.bytes);
  } catch (error) {
    throw new CertificateRequestError('asn1: structure error: malformed certificate request', {
      cause: error,
    });
  }
}

function parseDer(der: Buffer): CertificateRequest {
  const [request] = readDer(der);
  const [info, algorithm, signature] = childrenOf(request, derTags.sequence);
  const [version, subject, key] = childrenOf(info, derTags.sequence);
  if (version?.tag !== derTags.integer || key === undefined || info === undefined) {
    throw new RangeError('the request is incomplete');
  }
  if (signature?.tag !== derTags.bitString) throw new RangeError('the signature is missing');
  const [oid] = childrenOf(algorithm, derTags.sequence);
  return {
    organizations: organizationsOf(subject),
    signatureProblem: signatureProblem({
      algorithm: oid === undefined ? '' : oidText(oid),
      signed: info.encoded,
      key: createPublicKey({ key: key.encoded, format: 'der', type: 'spki' }),
      // A bit string starts with the number of its unused bits.
      signature: signature.content.subarray(1),
    }),
  };
}

function childrenOf(value: DerValue | undefined, tag: number): DerValue[] {
  if (value?.tag !== tag) throw new RangeError('a value has another type');
  return readDer(value.content);
}

/** A subject is a sequence of sets of attributes, each an identifier and a text. */
function organizationsOf(subject: DerValue | undefined): string[] {
  return childrenOf(subject, derTags.sequence)
    .flatMap((set) => childrenOf(set, derTags.set))
    .flatMap((attribute) => {
      const [oid, text] = childrenOf(attribute, derTags.sequence);
      const isOrganization = oid?.tag === derTags.oid && oidText(oid) === ORGANIZATION_OID;
      return isOrganization && text !== undefined ? [text.content.toString()] : [];
    });
}

interface Signature {
  readonly algorithm: string;
  readonly signed: Buffer;
  readonly key: KeyObject;
  readonly signature: Buffer;
}

function signatureProblem({ algorithm, signed, key, signature }: Signature): string | undefined {
  const hash = hashes[algorithm];
  if (hash === undefined) {
    return 'x509: cannot verify signature: algorithm unimplemented';
  }
  if (verify(hash, signed, key, signature)) return undefined;
  switch (key.asymmetricKeyType) {
    case 'ec':
      return 'x509: ECDSA verification failure';
    case 'ed25519':
      return 'x509: Ed25519 verification failure';
    default:
      return 'crypto/rsa: verification error';
  }
}

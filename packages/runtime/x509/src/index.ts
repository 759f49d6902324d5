/**
 * Issues X.509 certificates and reads DER: what Node.js lacks, and the packages of Keelson need.
 *
 * - A certificate is accepted by those that trust its authority, and by no others.
 * - The package imports nothing but Node.js.
 *
 * @module
 */

export {
  issueCertificate,
  type CertificateRequest,
  type IssuedCertificate,
} from './issue-certificate.ts';
export { derTags, oidText, readDer, type DerValue } from './read-der.ts';

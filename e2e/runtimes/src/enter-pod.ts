/** `node --import enter-pod.ts`: the process finds its service account in the folder `KEELSON_SERVICE_ACCOUNT`. */
import { mountServiceAccount } from './pod.ts';

mountServiceAccount(process.env['KEELSON_SERVICE_ACCOUNT'] ?? '');

import { hash } from 'node:crypto';

/**
 * SHA-256 of published secrets (those of LocalNet, the reference application and the compose file) and of common
 * passwords.
 */
const DEMO_SECRETS: ReadonlySet<string> = new Set([
  '3778d6c3799a546e5b5f0ac84c615ce5aa538ab54f1073af69f3915e44d7a5b5',
  'e7d16b3c3c44ca1ffa683db0ce44fd6330fe79adf497176a397b20b6a8d9eefa',
  '36ce607d5fa3f35ed6abe3f179f2d31bdefe452e1c79107e10846385546a3f52',
  '77bf268d46d460e72a93e41d208353063a04f35f3a2b39f51ddef5e5ca7559fb',
  'e687ae8fc092df5dc4a63dda4d49e9dcfea0e808ddbb7eff13c748fd39fc80b4',
  '629e3fc948fb5ca55eb9f2cc1cd815703841a4f6be23b038925fbe56bdc19c24',
  '6ca13d52ca70c883e0f0bb101e425a89e8624de51db2d2392593af6a84118090',
  '8c6976e5b5410415bde908bd4dee15dfb167a9c873fc4bb8a81f6f2ab448a918',
  'a942b37ccfaf5a813b1432caa209a43b9d144e47ad0de1549c289c253e556cd5',
  '6a6d2cb662cc5091f79926858e30f473c844127dd23c0cc55c15dd8578b049ef',
  'c30c030bd3667bfe9eda3107738b9458e202c05ddc911915d7eb5bc1274140d5',
  '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
  '057ba03d6c44104863dc7361fe4578965d1887360f90a0895882e58a6248fc86',
]);

/** Whether a secret is published and therefore protects nothing. */
export const isDemoSecret = (secret: string): boolean => DEMO_SECRETS.has(hash('sha256', secret));

/** SHA-256 of the subjects in LocalNet's realms. */
const DEMO_USERS: ReadonlySet<string> = new Set([
  '89de01743b01857e1773d1f7cd504141ac41caa1d8ad21eae4089000f20d57ee',
  '726034a541f39517b764981e89e729bf9cd0609c3be6c71493a93ceb482ac94d',
  '129d420857d1a8178ee726595fdd1a4d3e693c99b3ccf7d8d032932f7b53a649',
  'a82951a9a2cbf130d909b14c8aaf09aea1fff332ff797365fff7565cbe57e8a4',
  'd13e0a621c39c96e1c698e45a8989c73314446e68acc3c5a7be2daec870fc2d9',
  '03448f6152a6ce866af8c81788628d03d78d27d956efeb59448cf0f0c92f5efd',
  'd3e8fe08668d4d44027ccb55eb0eb93d4125c6f0eff3f800a86386708f217057',
  '649c77a4707c9643b958749089d5b5279e378a83a8368094ab6994229bd10eee',
  '890d3e08efc941558de825aa953f6d87ab4834c20bda4fba136dcb5d078c8f27',
  '0f156b0e0ae27e8057a17596cb75f6dee1f3cda2997e1b89e718f5e3bc50df15',
  '47a25bad3bc4d6061478d8cba626f96ff2356eade2e280303f8356558650759d',
]);

/** Whether a claim `sub` belongs to a demo user, whose password is published. */
export const isDemoUser = (subject: string): boolean => DEMO_USERS.has(hash('sha256', subject));

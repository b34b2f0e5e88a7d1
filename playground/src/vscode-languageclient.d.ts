/** What the extension's protocol.ts takes from the client for VS Code: of it, this page uses types only. */
export class RequestType<P, R, E> {
  constructor(method: string);
  readonly types: [P, R, E];
}
export class NotificationType<P> {
  constructor(method: string);
  readonly types: [P];
}

// A fault in one screen leaves the frame: the person can try again, or go to another screen.

import { Component, type ComponentChildren, type JSX } from 'preact';
import { Failed, Page } from '../ui/parts.tsx';

interface Props {
  readonly children: ComponentChildren;
}

export class ErrorBoundary extends Component<Props, { readonly error?: unknown }> {
  static override getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  /** For the console of the browser, where a developer looks first. */
  override componentDidCatch(error: unknown): void {
    reportError(error);
  }

  render(): JSX.Element {
    const { error } = this.state;
    if (error === undefined) return <>{this.props.children}</>;
    return (
      <Page title="This page failed">
        <Failed error={error} onRetry={() => this.setState({ error: undefined })} />
      </Page>
    );
  }
}

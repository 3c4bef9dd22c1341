// Navigation by program: the router hands its function over when it starts.

let route: (href: string, isReplaced?: boolean) => void = (href) => location.assign(href);

export function setRoute(value: typeof route): void {
  route = value;
}

export function goTo(href: string, isReplaced = false): void {
  route(href, isReplaced);
}

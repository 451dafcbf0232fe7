/* global SwaggerUIBundle */
const root = document.getElementById("swagger-ui");
const loaded = await fetch(root.dataset.document);
const spec = await loaded.json();
// Requests go to the server that shows this page, by the name it was asked for, so that they need no leave of another.
spec.servers = [{ url: location.origin + root.dataset.root }];
SwaggerUIBundle({
  spec,
  dom_id: "#swagger-ui",
  deepLinking: true,
  persistAuthorization: true,
  // Swagger UI would otherwise send the document to a service of its own.
  validatorUrl: null,
});

// swift-format-ignore-file
// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: the hedgerow authors

// Made by `dev assets Sources/WebPages`.

extension GeneratedAssets {
  static let indexHtml = #"""
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title><!--hedge:title--></title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/app.css">
<script type="module" src="/app.js"></script>
</head>
<body>
<header>
<a href="/">hedgerow</a>
<nav aria-label="Lists"><!--hedge:lists--></nav>
<p id="chip" role="status"></p>
</header>
<!--hedge:main-->
</body>
</html>

"""#
}
